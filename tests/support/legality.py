"""What a provider accepts as a conversation: pure rules, shared by the model server and the tests.

Each problem is a sentence that starts with its place ("messages.2.content.0: …"). The rules are the
providers' own, a little stricter where a provider mends silently what we should not have sent.
"""

from .claude_rules import anthropic_problems
from .openai_rules import openai_problems

__all__ = ["anthropic_problems", "openai_problems"]
