"""The same in Python with grpcio, from the proto files alone. Make the modules first:

    python3 -m pip install grpcio grpcio-tools
    mkdir -p stubs
    python3 -m grpc_tools.protoc -I proto --python_out=stubs --grpc_python_out=stubs \\
        lrs/v1/statements.proto lrs/v1/failure.proto lrs/v1/xapi.proto buf/validate/validate.proto
    PYTHONPATH=stubs python3 examples/typed-clients/grpcio.py

LRS_CORE_URL, LRS_SERVICE_TOKEN and LRS_CREDENTIAL (the key of the game it acts for) come from the environment.
"""
import os
import time
from urllib.parse import urlsplit

import grpc
from lrs.v1 import statements_pb2 as messages
from lrs.v1 import statements_pb2_grpc as services
from lrs.v1 import xapi_pb2 as xapi

address = urlsplit(os.environ.get("LRS_CORE_URL", "http://localhost:8082")).netloc
metadata = [
    ("authorization", f"Bearer {os.environ['LRS_SERVICE_TOKEN']}"),
    ("x-lrs-credential", os.environ["LRS_CREDENTIAL"]),
]
lrs = services.StatementServiceStub(grpc.insecure_channel(address))

VERB = "https://games.example/verbs/won"


def won(name: str, scaled: float) -> xapi.Statement:
    return xapi.Statement(
        actor=xapi.Actor(name=name, account=xapi.Account(home_page="https://players.example", name=name)),
        verb=xapi.Verb(id=VERB, display={"en": "won"}),
        object=xapi.StatementObject(
            id="https://games.example/chess",
            definition=xapi.ActivityDefinition(name={"en": "Chess"}),
        ),
        result=xapi.Result(success=True, score=xapi.Score(scaled=scaled)),
    )


def tell(statement: xapi.Statement) -> str:
    name = statement.object.definition.name["en"]
    return f"{statement.actor.name} {statement.verb.display['en']} {name} {statement.result.score.scaled}"


def follow(**start):
    """Every statement after a place, then those that come; after a cut it goes on where it was."""
    while True:
        request = messages.FollowRequest(verb=VERB, form=messages.FORM_TYPED, **start)
        try:
            for message in lrs.Follow(request, metadata=metadata):
                yield message
                start = {"after": message.through}  # keep it to resume later
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                raise
            time.sleep(1)


stored = lrs.StoreStatements(
    messages.StoreStatementsRequest(statements=[won("ann", 0.5), won("ben", 0.25)]), metadata=metadata
)
print(f"stored {len(stored.ids)}")

page = lrs.QueryStatements(
    messages.QueryStatementsRequest(verb=VERB, form=messages.FORM_TYPED, ascending=True), metadata=metadata
)
for statement in page.statements:
    print(f"found {tell(statement)}")

following = False
for message in follow(from_now=True):
    for statement in message.statements:
        print(f"followed {tell(statement)}")
    if message.statements:
        break
    if not following:  # the first message says that it follows
        lrs.StoreStatements(messages.StoreStatementsRequest(statements=[won("cem", 0.75)]), metadata=metadata)
    following = True
