"""OpenStack Swift with its S3 interface, all servers in this process, in the folder that is given; says its port.

Needs Debian's packages swift-proxy, swift-account, swift-container, swift-object. Ends when its standard input ends.
"""
import os
import sys
from array import array

import swift.common.utils as utils

folder = sys.argv[1]
with open(f'{folder}/swift.conf', 'w') as conf:
    conf.write('[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = only\ndefault = yes\n')
utils.set_swift_dir(folder)

import eventlet
from eventlet import wsgi
from paste.deploy import loadapp
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingData

eventlet.hubs.use_hub(utils.get_hub())
utils.eventlet_monkey_patch()

PROXY = """
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[filter:tempauth]
use = egg:swift#tempauth
user_lrs_tests = secret-of-the-tests .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
allow_multipart_uploads = true
""" + ''.join(f'[filter:{name}]\nuse = egg:swift#{egg}\n' for name, egg in [
    ('catch_errors', 'catch_errors'), ('gatekeeper', 'gatekeeper'), ('healthcheck', 'healthcheck'), ('listing_formats', 'listing_formats'),
    ('cache', 'memcache'), ('bulk', 'bulk'), ('copy', 'copy'), ('slo', 'slo'), ('dlo', 'dlo'),
    ('versioned_writes', 'versioned_writes'), ('symlink', 'symlink')])


def serve(name, text):
    path = f'{folder}/{name}.conf'
    common = f'[DEFAULT]\nswift_dir = {folder}\ndevices = {folder}/devices\nmount_check = false\nfallocate_reserve = 0\nlog_level = ERROR\n'
    with open(path, 'w') as conf:
        conf.write(common + text)
    server = sockets[name]
    logger = utils.get_logger({'log_level': 'ERROR'}, name)
    app = loadapp(f'config:{path}')
    eventlet.spawn(wsgi.server, server, app, utils.NullLogger(), protocol=SwiftHttpProtocol, max_size=200)


os.makedirs(f'{folder}/devices/disk')
os.chdir(folder)
sockets = {name: eventlet.listen(('127.0.0.1', 0)) for name in ['account', 'container', 'object', 'proxy']}
for name in ['account', 'container', 'object']:
    device = {'id': 0, 'zone': 0, 'device': 'disk', 'ip': '127.0.0.1', 'port': sockets[name].getsockname()[1], 'weight': 1}
    RingData([array('H', [0, 0])], [device], 31).save(f'{name}.ring.gz')
    serve(name, f'[app:{name}-server]\nuse = egg:swift#{name}\n[pipeline:main]\npipeline = {name}-server\n')
serve('proxy', PROXY)
print(f'listening on {sockets["proxy"].getsockname()[1]}', flush=True)

eventlet.tpool.execute(sys.stdin.read)
os._exit(0)
