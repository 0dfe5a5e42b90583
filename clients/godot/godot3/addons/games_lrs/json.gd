# Made from godot4/addons/games_lrs/json.gd by clients/godot/build.ts. Edit that.
extends Reference
# Writes JSON. The engines let control characters through, and write infinity as 1e99999 or as a word; Godot 3 rounds
# to six digits.

const Godot = preload("engine.gd")

const ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: "\\\"", 92: "\\\\"}


static func write(value) -> String:
	match typeof(value):
		TYPE_NIL:
			return "null"
		TYPE_BOOL:
			return "true" if value else "false"
		TYPE_INT:
			return str(value)
		TYPE_REAL:
			return _number(value)
		TYPE_DICTIONARY:
			var members = PoolStringArray()
			for name in value:
				members.append(_text(str(name)) + ":" + write(value[name]))
			return "{" + members.join(",") + "}"
		TYPE_ARRAY, TYPE_INT_ARRAY, TYPE_REAL_ARRAY, TYPE_STRING_ARRAY:
			var items = PoolStringArray()
			for item in value:
				items.append(write(item))
			return list(items)
	return _text(str(value))


# Reads JSON; null when it is none.
static func read(text: String):
	return Godot.parse_json(text)


# A list of texts that are JSON already.
static func list(texts) -> String:
	var items = PoolStringArray(texts)
	return "[" + items.join(",") + "]"


# Fifteen digits, which every float keeps.
static func _number(value: float) -> String:
	if is_nan(value) or is_inf(value):
		return "null"
	if value == floor(value) and abs(value) < 1e15:
		return "%d" % value
	var exponent = int(floor(log(abs(value)) / log(10)))
	if exponent < -6 or exponent > 14:
		return _number(value / pow(10, exponent)) + "e" + str(exponent)
	var digits = ("%." + str(14 - exponent) + "f") % value
	return digits.rstrip("0").rstrip(".") if "." in digits else digits


# Halves of a surrogate pair are escaped as well: UTF-8 has none, and Godot 3 makes them of an escaped emoji.
static func _text(text: String) -> String:
	var written = "\""
	var from = 0
	for at in text.length():
		var code = text.ord_at(at)
		if code >= 32 and code != 34 and code != 92 and (code < 0xD800 or code > 0xDFFF):
			continue
		written += text.substr(from, at - from) + ESCAPES.get(code, "\\u%04x" % code)
		from = at + 1
	return written + text.substr(from) + "\""
