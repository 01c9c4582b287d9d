"""Thousands of small misfortunes, each repeatable from its seed. `python -m tests.campaign kills --count 100 --seed 1`

A case is drawn from (campaign, seed, number) and nothing else, played by the real program against a platform's
simulator, and audited: what people said, what the model was asked, what the store kept and what the chats show.
"""
