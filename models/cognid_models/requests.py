"""Sentences that ask, about nothing in particular: what every request has in common.

The mean of their query vectors stands in the manifest. The vector of a question is near to other
questions and to advice, whatever it is about; less a share of that mean, it is nearer to what it is
about. Facts and preferences gain by it, remarks lose nothing (docs/benchmarks.md).
"""

from typing import Final

REQUESTS: Final = (
    "Can you recommend something for the weekend?",
    "What should I get for a friend?",
    "How should I prepare for it?",
    "Could you suggest some ideas for me?",
    "I'm planning something new, any advice?",
    "What would be a good way to start?",
    "Help me find a good option.",
    "What are some things to try?",
    "I want to buy one, which would you pick?",
    "How can I get better at this?",
    "What do you suggest?",
    "Can you recommend a good one?",
    "Any ideas for what I could do?",
    "I need some advice on this.",
    "What are my options?",
    "Could you help me choose?",
    "I'm looking for something suitable.",
    "What would you do in my place?",
    "How do I go about it?",
    "Can you give me some tips?",
)
