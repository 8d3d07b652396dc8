"""Language models at the table: prompts, answers, the client of a server, what is kept of it all.

prompt         a view in plain words, by a template
answers        a reply to a move, or to what is wrong with it
server         one request to an OpenAI-compatible server
conversations  prompts and replies, kept in the folder of a run
agent          the family `llm`
"""
