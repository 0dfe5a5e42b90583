# Made from godot4/addons/games_lrs/uri.gd by clients/godot/build.ts. Edit that.
extends Reference
# Percent-encoding, as encodeURIComponent and encodeURI of JavaScript do it.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!*'()"
const RESERVED = ";,/?:@&=+$#"


# A part of an address, such as the value of a parameter.
static func component(text: String) -> String:
	return _encode(text, LETTERS)


# What stands below an IRI: level/1 stays as it is.
static func path(text: String) -> String:
	return _encode(text, LETTERS + RESERVED)


static func query(parameters: Dictionary) -> String:
	var parts = PoolStringArray()
	for name in parameters:
		parts.append(component(name) + "=" + component(parameters[name]))
	return parts.join("&")


# It begins with a scheme.
static func is_iri(text: String) -> bool:
	var colon = text.find(":")
	if colon < 1 or not text[0].to_lower() in "abcdefghijklmnopqrstuvwxyz":
		return false
	for letter in text.left(colon).to_lower():
		if not letter in "abcdefghijklmnopqrstuvwxyz0123456789+.-":
			return false
	return true


static func _encode(text: String, kept: String) -> String:
	var encoded = ""
	for byte in text.to_utf8():
		var letter = char(byte)
		encoded += letter if byte < 128 and letter in kept else "%%%02X" % byte
	return encoded
