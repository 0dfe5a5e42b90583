// Makes what Godot 3 runs from the source for Godot 4, line by line. Only engine.gd is written for each engine. What is
// made is committed, and `npm run check` compares it. A word that is neither replaced nor known stops the script.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
const value = String.raw`[\w.]+`

/** In this order, each as often as it is found. A text is a whole word, or a name with what stands around it. */
const replacements: readonly (readonly [RegExp | string, string])[] = [
  // classes and types
  ['RefCounted', 'Reference'],
  ['JavaScriptBridge', 'JavaScript'],
  [/\bFileAccess\.(READ|WRITE|READ_WRITE)\b/g, 'File.$1'],
  ['TYPE_FLOAT', 'TYPE_REAL'],
  ['TYPE_PACKED_INT32_ARRAY', 'TYPE_INT_ARRAY'],
  ['TYPE_PACKED_FLOAT32_ARRAY', 'TYPE_REAL_ARRAY'],
  ['TYPE_PACKED_STRING_ARRAY', 'TYPE_STRING_ARRAY'],
  [/\bPacked(Byte|String)Array\b/g, 'Pool$1Array'],
  // methods
  ['.is_empty()', '.empty()'],
  ['.path_join(', '.plus_file('],
  ['.to_utf8_buffer()', '.to_utf8()'],
  ['.unicode_at(', '.ord_at('],
  ['.is_valid_int()', '.is_valid_integer()'],
  ['.remove_at(', '.remove('],
  ['.get_length()', '.get_len()'],
  ['randf_range(', 'rand_range('],
  [/("[^"]*")\.join\((\w+)\)/g, '$2.join($1)'],
  // the system
  ['Time.get_ticks_msec()', 'OS.get_ticks_msec()'],
  ['int(Time.get_unix_time_from_system() * 1000)', 'OS.get_system_time_msecs()'],
  ['Time.get_datetime_dict_from_unix_time(', 'OS.get_datetime_from_unix_time('],
  ['Time.get_unix_time_from_datetime_dict(', 'OS.get_unix_time_from_datetime('],
  [' + OS.get_cmdline_user_args()', ''],
  ['OS.has_feature("web")', 'OS.has_feature("JavaScript")'],
  ['TLSOptions.client() if secure else null', 'secure'],
  ['\t_wire.poll()\n', ''],
  // nodes
  [/^@tool$/gm, 'tool'],
  ['_enable_plugin()', 'enable_plugin()'],
  ['_disable_plugin()', 'disable_plugin()'],
  ['process_mode = Node.PROCESS_MODE_ALWAYS', 'pause_mode = Node.PAUSE_MODE_PROCESS'],
  ['NOTIFICATION_APPLICATION_FOCUS_OUT', 'MainLoop.NOTIFICATION_WM_FOCUS_OUT'],
  ['NOTIFICATION_APPLICATION_PAUSED', 'MainLoop.NOTIFICATION_APP_PAUSED'],
  // signals
  [new RegExp(String.raw`(${value})\.(\w+)\.connect\((\w+)\)$`, 'gm'), '$1.connect("$2", self, "$3")'],
  [
    new RegExp(String.raw`(${value})\.(\w+)\.connect\((\w+)\.bind\((\w+)\)\)$`, 'gm'),
    '$1.connect("$2", self, "$3", [$4])',
  ],
  [/\b(\w+)\.emit\(\)$/gm, 'emit_signal("$1")'],
  [/\b(\w+)\.emit\((.+)\)$/gm, 'emit_signal("$1", $2)'],
  // what waits: a signal; a method of the add-on, which always waits; a function, which waits or returns at once
  [new RegExp(String.raw`\bawait (${value})\.(\w+)$`, 'gm'), 'yield($1, "$2")'],
  [/\bawait (GamesLrs\..+\))$/gm, 'yield($1, "completed")'],
  [/\bawait (GamesLrs\.\w+\(\)) returns/g, 'yield($1, "completed") returns'],
  [/\breturn await (.+\))$/gm, 'return $1'],
  [
    /^(\t+)(var )?(\w+) = await (.+\))$/gm,
    '$1$2$3 = $4\n$1if $3 is GDScriptFunctionState:\n$1\t$3 = yield($3, "completed")',
  ],
  // comments that the editor of Godot 4 shows
  [/^(\t*)##/gm, '$1#'],
  [/(?<=  )##/g, '#'],
  // what only Godot 3 needs
  [/^(\t+)#3 /gm, '$1'],
]

/** Called in what is made, beside functions of the add-on: Godot 3 has all of them, and they do the same as in Godot 4. */
const known = new Set(
  `abs add_autoload_singleton add_child append append_array begins_with bool call char clamp clear close compile connect
  connect_to_host delay_msec disable_plugin duplicate emit_signal empty enable_plugin ends_with erase eval find float
  floor generate_random_bytes get get_available_bytes get_base_dir get_basename get_children get_cmdline_args get_data
  get_datetime_from_unix_time get_environment get_executable_path get_len get_locale get_main_loop get_name get_position get_response_code
  get_response_headers get_setting get_signal_connection_list get_status get_string get_string_from_utf8 get_system_time_msecs get_ticks_msec
  get_tree get_unix_time_from_datetime get_version_info has has_feature has_setting hash hex_encode insert int is_debug_build is_inf is_nan is_valid_integer join
  left length log max min new ord_at plus_file pop_front pow preload propagate_notification push_warning put_data
  queue_free quit rand_range randi randomize range read_response_body_chunk remove remove_autoload_singleton replace
  request_raw rfind rstrip search seek_end sha256_text shuffle size sort split store_string str strip_edges substr to_lower
  to_upper to_utf8 trim_prefix trim_suffix typeof yield PoolByteArray PoolStringArray and or not in if`.split(/\s+/),
)
const onlyGodot4 =
  /\b(?:await|super|static var|is not|not in|when|FileAccess|DirAccess|Packed\w+)\b|\bTime\.|@\w|Array\[|\.connect\((?!")|"\.join/

const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const paths = globSync('{godot4,conformance/godot4}/**/*.gd', { cwd: folder }).toSorted()
const declared = new Set(paths.flatMap((path) => [...read(path).matchAll(/\bfunc (\w+)/g)].map(([, name]) => name)))

export function forGodot3(path: string, source: string): string {
  let made = source
  for (const [from, to] of replacements) {
    const word = typeof from === 'string' && /^\w/.test(from) ? String.raw`\b` : ''
    const end = typeof from === 'string' && /\w$/.test(from) ? String.raw`\b` : ''
    const pattern = typeof from === 'string' ? new RegExp(word + RegExp.escape(from) + end, 'g') : from
    made = made.replaceAll(pattern, to)
  }
  // without texts and comments, in which any word may stand
  const code = made.replaceAll(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"/g, '""').replaceAll(/#.*$/gm, '')
  for (const [at, line] of code.split('\n').entries()) {
    const calls = [...line.matchAll(/(?<!\bfunc |\bsignal )\b(\w+) ?\(/g)].map(([, name]) => name)
    const strange = onlyGodot4.exec(line)?.[0] ?? calls.find((name) => !known.has(name) && !declared.has(name))
    if (strange !== undefined)
      throw new Error(
        `${path}: build.ts does not know what Godot 3 has for "${strange}" (line ${at + 1} of what it makes)`,
      )
  }
  return `# Made from ${path} by clients/godot/build.ts. Edit that.\n${made}`
}

const compare = process.argv.includes('--check')
for (const path of import.meta.main ? paths.filter((name) => !name.endsWith('/engine.gd')) : []) {
  const target = join(folder, path.replace('godot4', 'godot3'))
  const made = forGodot3(path, read(path))
  if (!compare) writeFileSync(target, made)
  else if (made !== readFileSync(target, 'utf8')) throw new Error(`${target} is not what npm run client makes`)
}
