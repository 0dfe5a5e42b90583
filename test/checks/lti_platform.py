"""A learning platform of the package lti1p3platform, which is not ours. It prints its port, and ends with its input."""
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration
from lti1p3platform.request import Request

membership = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
private = key.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()
public = key.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
).decode()


class Platform(LTI1P3PlatformConfAbstract):
    def init_platform_config(self, **kwargs):
        pass

    def get_registration_by_params(self, **kwargs):
        portal = os.environ["PORTAL"]
        return (
            Registration()
            .set_iss(issuer)
            .set_client_id("c1")
            .set_deployment_id("d1")
            .set_launch_url(f"{portal}/lti/launch")
            .set_deeplink_launch_url(f"{portal}/lti/launch")
            .set_oidc_login_url(os.environ["LOGIN"])
            .set_tool_key_set_url(os.environ["KEYS"])
            .set_platform_public_key(public)
            .set_platform_private_key(private)
        )


class Asked(Request):
    def build_metadata(self, request):
        return {"method": "GET", "form_data": {}, "get_data": request, "headers": {}, "content_type": "", "path": ""}


class Login(OIDCLoginAbstract):
    def set_lti_message_hint(self, **kwargs):
        self._lti_message_hint = kwargs["hint"]

    def get_redirect(self, url):
        return url


class Launch(LTIAdvantageMessageLaunchAbstract):
    def render_launch_form(self, launch_data, **kwargs):
        return launch_data


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def do_GET(self):
        url = urlparse(self.path)
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        platform = Platform()
        platform.get_registration()
        if url.path == "/keys":
            return self.answer(platform.get_jwks())
        if url.path == "/begin":
            login = Login(None, platform)
            login.set_lti_message_hint(hint=asked["message"])
            return self.answer({}, 302, [("location", login.initiate_login(asked["user"]))])
        launch = Launch(Asked(asked), platform)
        picks = asked["lti_message_hint"] == "pick"
        launch.set_user_data(asked["login_hint"], [membership + ("Instructor" if picks else "Learner")], "Ada")
        launch.set_launch_context_claim("x1", ["http://purl.imsglobal.org/vocab/lis/v2/course#CourseOffering"], "4b")
        if picks:
            launch.set_dl(f"{issuer}/back", accept_types={"ltiResourceLink"}, extra_data="opaque")
        else:
            launch.set_resource_link_claim("r1", title="Fractions")
            launch.set_custom_parameters_claim({"game": asked["lti_message_hint"]})
        self.answer(launch.lti_launch())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        platform = Platform()
        platform.get_registration()
        platform.set_accepted_deeplinking_types(["ltiResourceLink"])
        self.answer(platform.validate_deeplinking_resp({"JWT": parse_qs(body)["JWT"][0]}))


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
issuer = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
