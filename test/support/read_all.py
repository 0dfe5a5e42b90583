"""Reads every statement of a game with grpcio: typed in pages, as JSON in pages, typed by Follow. Prints a line for each way."""
import json
import os
from urllib.parse import urlsplit

import grpc
from google.protobuf.json_format import MessageToDict
from lrs.v1 import statements_pb2 as messages
from lrs.v1 import statements_pb2_grpc as services

metadata = [("authorization", os.environ["LRS_AUTHORIZATION"])]
lrs = services.StatementServiceStub(grpc.insecure_channel(urlsplit(os.environ["LRS_CORE_URL"]).netloc))


def pages(form):
    offset = ""
    while True:
        request = messages.QueryStatementsRequest(form=form, ascending=True, offset=offset)
        page = lrs.QueryStatements(request, metadata=metadata)
        yield page
        offset = page.next
        if not offset:
            return


def follow(count):
    seen = 0
    for message in lrs.Follow(messages.FollowRequest(form=messages.FORM_TYPED), metadata=metadata):
        yield message
        seen += len(message.statements)
        if seen >= count:
            return


typed = [statement for page in pages(messages.FORM_TYPED) for statement in page.statements]
for statement in typed:
    MessageToDict(statement)
followed = [statement for message in follow(len(typed)) for statement in message.statements]
print(json.dumps([statement.id for statement in typed]))
print(json.dumps([statement.id for statement in followed]))
print(json.dumps([line.decode() for page in pages(messages.FORM_JSON) for line in page.json]))
