extends RefCounted
# What a statement consists of: verbs, activities, results. Pure: it asks nobody but the clock and for random bytes.

const Json = preload("json.gd")
const Uri = preload("uri.gd")
const Browser = preload("browser.gd")

const TYPES = "https://w3id.org/xapi/seriousgames/activity-types/"
const PROGRESS = "https://w3id.org/xapi/seriousgames/extensions/progress"
# of ADL and of the serious-games profile
const VERBS = {
	"initialized": "http://adlnet.gov/expapi/verbs/initialized",
	"progressed": "http://adlnet.gov/expapi/verbs/progressed",
	"completed": "http://adlnet.gov/expapi/verbs/completed",
	"passed": "http://adlnet.gov/expapi/verbs/passed",
	"failed": "http://adlnet.gov/expapi/verbs/failed",
	"scored": "http://adlnet.gov/expapi/verbs/scored",
	"terminated": "http://adlnet.gov/expapi/verbs/terminated",
	"answered": "http://adlnet.gov/expapi/verbs/answered",
	"interacted": "http://adlnet.gov/expapi/verbs/interacted",
	"accessed": "https://w3id.org/xapi/seriousgames/verbs/accessed",
	"skipped": "http://id.tincanapi.com/verb/skipped",
	"selected": "https://w3id.org/xapi/adb/verbs/selected",
	"unlocked": "https://w3id.org/xapi/seriousgames/verbs/unlocked",
	"used": "https://w3id.org/xapi/seriousgames/verbs/used",
	"pressed": "https://w3id.org/xapi/seriousgames/verbs/pressed",
	"released": "https://w3id.org/xapi/seriousgames/verbs/released",
}
const IMPLIED = {"completed": {"completion": true}, "passed": {"success": true}, "failed": {"success": false}}


# activity: null (the game), an IRI, what stands below the game's IRI, or {id, name, type}
# result: null, a Dictionary, or a number: the progress of `progressed`, else the scaled score
static func of(verb: String, activity, result) -> Dictionary:
	var statement = {
		"verb": {"id": VERBS[verb], "display": {"en": verb}},
		"object": _object(activity),
	}
	var told = IMPLIED.get(verb, {}).duplicate()
	match typeof(result):
		TYPE_DICTIONARY:
			for name in result:
				told[name] = result[name]
		TYPE_INT, TYPE_FLOAT:
			told["progress" if verb == "progressed" else "score"] = result
	if not told.is_empty():
		statement["result"] = told
	return statement


# The statement with an id and the time; from now on these stay.
static func dated(statement: Dictionary) -> Dictionary:
	var whole = {"id": statement.get("id", uuid())}
	for name in statement:
		whole[name] = statement[name]
	if not whole.has("timestamp"):
		whole["timestamp"] = timestamp()
	return whole


# The statement with what the launch tells, and with what is told about the game and the machine, as JSON.
static func complete(statement: Dictionary, launch: Dictionary, about: Dictionary) -> String:
	var whole = statement.duplicate(true)
	if not whole.has("actor") and launch.actor != null:
		whole["actor"] = launch.actor
	var object = whole.get("object")
	var of_activity = object is Dictionary and object.get("objectType", "Activity") == "Activity"
	if of_activity and object.has("id"):
		object["id"] = iri(object["id"], launch)
	var result = whole.get("result")
	if result is Dictionary:
		_spell_out(result)
	var given = whole.get("context", {})
	if given is Dictionary:
		whole["context"] = _context(given, launch, about, of_activity)
	return Json.write(whole)


# What the game gives comes before what is told about it. Revision and platform are for activities only.
static func _context(given: Dictionary, launch: Dictionary, about: Dictionary, of_activity: bool) -> Dictionary:
	var context = about.duplicate(true)
	if launch.registration != "":
		context["registration"] = launch.registration
	var extensions = context.extensions
	for name in given.get("extensions", {}):
		extensions[name] = given["extensions"][name]
	for name in given:
		context[name] = given[name]
	context["extensions"] = extensions
	for name in [] if of_activity else ["revision", "platform"]:
		context.erase(name)
	return context


# A score that is a number is the scaled one; the progress is an extension.
static func _spell_out(result: Dictionary):
	if typeof(result.get("score")) in [TYPE_INT, TYPE_FLOAT]:
		result["score"] = {"scaled": result["score"]}
	if result.has("progress"):
		var extensions = result.get("extensions", {})
		extensions[PROGRESS] = result["progress"]
		result["extensions"] = extensions
		result.erase("progress")


# The IRI of an activity; without a name: of the game.
static func iri(activity, launch: Dictionary) -> String:
	var id = activity.get("id", "") if activity is Dictionary else activity
	if id == null or str(id) == "":
		return launch.activity_id
	return str(id) if Uri.is_iri(str(id)) else launch.activity_id + "/" + Uri.path(str(id))


# The learner as JSON, for parameters.
static func agent(launch: Dictionary) -> String:
	return Json.write(launch.actor)


static func _object(activity) -> Dictionary:
	if not activity is Dictionary:
		return {"id": "" if activity == null else str(activity)}
	var definition = {}
	if activity.get("name"):
		definition["name"] = {"und": activity["name"]}
	var type = activity.get("type")
	if type:
		definition["type"] = type if Uri.is_iri(type) else TYPES + type
	var object = {"id": str(activity.get("id", ""))}
	if not definition.is_empty():
		object["definition"] = definition
	return object


# With milliseconds, in UTC.
static func timestamp() -> String:
	var now = int(Time.get_unix_time_from_system() * 1000)
	var date = Time.get_datetime_dict_from_unix_time(now / 1000)
	var day = "%04d-%02d-%02d" % [date.year, date.month, date.day]
	return day + "T%02d:%02d:%02d.%03dZ" % [date.hour, date.minute, date.second, now % 1000]


# Version 4: random.
static func uuid() -> String:
	var bytes = Browser.random_bytes(16) if Browser.is_here() else Crypto.new().generate_random_bytes(16)
	bytes[6] = bytes[6] & 0x0F | 0x40
	bytes[8] = bytes[8] & 0x3F | 0x80
	var hex = bytes.hex_encode()
	for dash in [8, 13, 18, 23]:
		hex = hex.insert(dash, "-")
	return hex
