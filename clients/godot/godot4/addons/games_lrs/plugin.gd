@tool
extends EditorPlugin
# Switched on in the project settings, it makes the autoload GamesLrs.


func _enable_plugin():
	add_autoload_singleton("GamesLrs", "res://addons/games_lrs/games_lrs.gd")


func _disable_plugin():
	remove_autoload_singleton("GamesLrs")
