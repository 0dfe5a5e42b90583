extends RefCounted
# For debug builds: what is wrong with a statement, with its field and what to write instead. The service would refuse
# it, or no chart would count it.

const Json = preload("json.gd")
const Statement = preload("statement.gd")
const Uri = preload("uri.gd")

const TYPES = [
	"serious-game", "level", "quest", "session", "stage", "combat", "story-node", "race", "completable", "dialog-node",
	"dialog-fragment", "screen", "area", "zone", "cutscene", "reachable", "accessible", "menu", "dialog-tree",
	"question", "path", "arena", "alternative", "enemy", "item", "non-player-character", "game-object", "mouse",
	"keyboard", "controller", "touchscreen", "button", "device",
]
const FIELDS = ["score", "success", "completion", "progress", "duration", "response", "extensions"]
const SHARE = "Write the share of the highest score, such as 0.8, or a score with raw, min and max."
const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
const SCHEME = "^([a-zA-Z][a-zA-Z0-9+.-]*):(?!//)"
const DURATION = "^P(?=.)(\\d+W|(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=.)(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?)$"

var found = []


func _init(statement: Dictionary):
	var id = statement.get("id")
	_want(id == null or _fits(UUID, id), "id", id, "is no UUID. Leave it out.")
	var verb = statement.get("verb")
	_look_at_verb(verb if verb is String else _member(verb, "id"))
	var object = statement.get("object")
	_look_at_id(_text(_member(object, "id")))
	var type = _text(_member(_member(object, "definition"), "type"))
	if type.begins_with(Statement.TYPES):
		var name = type.substr(Statement.TYPES.length())
		var names = PackedStringArray(TYPES)
		var list = "is no type of the serious-games profile. Write an IRI, or one of %s." % ", ".join(names)
		_want(name in TYPES, "object.definition.type", name, list)
	if statement.get("result") is Dictionary:
		_look_at_result(statement["result"])


func _look_at_verb(verb):
	var name = _text(verb)
	var known = Statement.VERBS.get("completed" if name == "" else name, "https://example.org/verbs/" + name)
	_want(Uri.is_iri(name), "verb.id", verb, "is no IRI. Write one, such as \"%s\"." % known)


func _look_at_id(id: String):
	if not _fits(SCHEME, id):
		return
	var scheme = id.left(id.find(":"))
	var below = scheme + "/" + id.substr(scheme.length() + 1)
	var wrong = "is taken for a whole IRI with the scheme \"%s\". Write \"%s\"." % [scheme, below]
	_want(scheme.to_lower() in ["urn", "tag", "mailto"], "object.id", id, wrong)


func _look_at_result(result: Dictionary):
	var names = PackedStringArray(FIELDS)
	var all = ", ".join(names)
	for name in result:
		var wrong = "is in no field of a result. There are %s." % all
		_want(name in FIELDS, "result." + str(name), result[name], wrong)
	for name in ["success", "completion"]:
		var value = result.get(name)
		_want(value == null or value is bool, "result." + name, value, "is neither true nor false.")
	var score = result.get("score")
	if not score is Dictionary:
		_within(score, [-1, 1], "result.score", "is not from -1 to 1. " + SHARE)
	_within(_member(score, "scaled"), [-1, 1], "result.score.scaled", "is not from -1 to 1. " + SHARE)
	var bounds = [_member(score, "min"), _member(score, "max")]
	var outside = "is not from %s to %s, its min and max." % [Json.write(bounds[0]), Json.write(bounds[1])]
	_within(_member(score, "raw"), bounds, "result.score.raw", outside)
	var done = "is not from 0 to 1. Write the share that is done, such as 0.5."
	_within(result.get("progress"), [0, 1], "result.progress", done)
	var took = result.get("duration")
	if took != null:
		var wrong = "is no duration of ISO 8601. Write seconds as \"PT90S\"."
		_want(_fits(DURATION, took), "result.duration", took, wrong)


# A bound that is null is none.
func _within(value, bounds: Array, field: String, wrong: String):
	if value == null:
		return
	var holds = _is_number(value)
	if holds and _is_number(bounds[0]):
		holds = value >= bounds[0]
	if holds and _is_number(bounds[1]):
		holds = value <= bounds[1]
	_want(holds, field, value, wrong)


func _want(holds: bool, field: String, value, wrong: String):
	if not holds:
		found.append("%s: %s %s" % [field, Json.write(value), wrong])


static func _fits(pattern: String, value) -> bool:
	var expression = RegEx.new()
	expression.compile(pattern)
	return value is String and expression.search(value) != null


static func _is_number(value) -> bool:
	return typeof(value) in [TYPE_INT, TYPE_FLOAT]


static func _text(value) -> String:
	return value if value is String else ""


static func _member(of, name: String):
	return of.get(name) if of is Dictionary else null
