# Made from godot4/addons/games_lrs/browser.gd by clients/godot/build.ts. Edit that.
extends Reference
# What only a browser has: the launch in the address of the page, launch.json, messages of the page around it, and a
# last request when the page goes away. Everywhere else is_here() is false and nothing of this is called.

signal done(launch)  # a Dictionary, or null: the page was not launched

const SCRIPT = """
if (!window.gamesLrs) (function () {
  var lrs = (window.gamesLrs = { launch: '', last: null, paused: false });
  function found(given) {
    if (!given || !given.endpoint || !given.auth) return false;
    lrs.launch = JSON.stringify(given);
    return true;
  }
  lrs.look = function (again) {
    lrs.launch = '';
    if (!again && found(Object.fromEntries(new URLSearchParams(location.search)))) return;
    var session = new URLSearchParams(location.hash.split('?')[1]).get('session');
    var headers = { Authorization: 'Bearer ' + session };
    var asked = session ? fetch('launch.json', { headers: headers, cache: 'no-store' }) : Promise.reject();
    var json = asked.then(function (response) { return response.json(); });
    json.then(found).catch(function () {}).then(function (is) {
      if (is) return;
      if (window.parent === window) return (lrs.launch = 'null');
      function receive(event) {
        if (event.source === window.parent && event.data && event.data.type === 'xapi-launch') found(event.data);
      }
      addEventListener('message', receive);
      window.parent.postMessage({ type: 'xapi-launch-request' }, '*');
      setTimeout(function () {
        removeEventListener('message', receive);
        if (lrs.launch === '') lrs.launch = 'null';
      }, 500);
    });
  };
  lrs.leave = function () {
    var last = lrs.last;
    if (!last) return;
    var request = { method: 'POST', headers: last.headers, body: last.body, keepalive: true };
    fetch(last.url, request).catch(function () {});
  };
  addEventListener('message', function (event) {
    var type = event.source === window.parent && window.parent !== window && event.data && event.data.type;
    if (type === 'xapi-pause' || type === 'xapi-resume') lrs.paused = type === 'xapi-pause';
  });
  addEventListener('pagehide', lrs.leave);
  document.addEventListener('visibilitychange', function () {
    if (document.visibilityState === 'hidden') lrs.leave();
  });
})();
"""
const Json = preload("json.gd")


static func is_here() -> bool:
	return OS.has_feature("JavaScript")


static func random_bytes(count: int) -> PoolByteArray:
	var bytes = PoolByteArray()
	for number in JavaScript.eval("crypto.getRandomValues(new Uint8Array(%d)).join()" % count).split(","):
		bytes.append(int(number))
	return bytes


# Asks for the launch; with `again` not in the address, which stays what it was.
func _init(again: bool):
	JavaScript.eval(SCRIPT, true)
	JavaScript.eval("gamesLrs.look(%s)" % ("true" if again else "false"))


# True when it is known. Without anything to wait for it is known at once.
func poll() -> bool:
	var text = JavaScript.eval("gamesLrs.launch")
	if text == "":
		return false
	emit_signal("done", Json.read(text))
	return true


func cancel():
	emit_signal("done", null)


# The page around the game covers it.
static func is_paused() -> bool:
	return JavaScript.eval("!!window.gamesLrs && gamesLrs.paused")


# What the page sends when it goes away; an empty body: nothing.
static func keep_last(url: String, headers: Dictionary, body: String):
	var last = {"url": url, "headers": headers, "body": body} if body != "" else null
	JavaScript.eval("gamesLrs.last = " + Json.write(last))


# The page goes away now.
static func leave():
	JavaScript.eval("gamesLrs.leave()")
