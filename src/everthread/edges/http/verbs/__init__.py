"""What the API can do: each verb takes a call and what was asked, and gives a document."""
