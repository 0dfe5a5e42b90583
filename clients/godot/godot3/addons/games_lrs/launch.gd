# Made from godot4/addons/games_lrs/launch.gd by clients/godot/build.ts. Edit that.
extends Reference
# The launch context outside of a browser: {endpoint, auth, actor, registration, activity_id}, or null.

const Godot = preload("engine.gd")
const Json = preload("json.gd")

const NAMES = ["endpoint", "auth", "actor", "registration", "activity_id"]


# From the environment, else from a file.
static func find():
	var given = {}
	for name in NAMES:
		given[name] = OS.get_environment("XAPI_" + name.to_upper())
	var launch = of(given)
	return launch if launch != null else from_file()


# After a 401: the environment stays what it was, the file may have been renewed.
static func find_again():
	return from_file()


# The file that XAPI_LAUNCH_FILE or an argument names, else launch.json beside the game or in the folder of the project.
static func from_file():
	var paths = [OS.get_environment("XAPI_LAUNCH_FILE")]
	for argument in OS.get_cmdline_args():
		if argument.ends_with(".json"):
			paths.append(argument)
	paths.append(OS.get_executable_path().get_base_dir().plus_file("launch.json"))
	paths.append("res://launch.json")
	for path in paths:
		if path == "" or not Godot.has_file(path):
			continue
		var launch = of(Json.read(Godot.read_file(path)))
		if launch != null:
			return launch
	return null


# In one form, however it was given; null without endpoint or auth.
static func of(given):
	if not given is Dictionary or not given.get("endpoint") or not given.get("auth"):
		return null
	var actor = given.get("actor")
	if actor is String:
		actor = Json.read(actor)
	return {
		"endpoint": str(given["endpoint"]).rstrip("/") + "/",
		"auth": str(given["auth"]),
		"actor": _agent(actor) if actor is Dictionary else null,
		"registration": _text(given.get("registration")),
		"activity_id": _text(given.get("activity_id", given.get("activityId"))),
	}


# TinCan launches send each identifier of the actor in a list.
static func _agent(actor: Dictionary) -> Dictionary:
	var agent = {}
	for name in actor:
		agent[name] = _one(actor[name])
	var account = agent.get("account")
	if account is Dictionary and account.has("accountServiceHomePage"):
		agent["account"] = {"homePage": account["accountServiceHomePage"], "name": account.get("accountName")}
	return agent


static func _one(value):
	return value[0] if value is Array and not value.empty() else value


static func _text(value) -> String:
	return "" if value == null else str(value)
