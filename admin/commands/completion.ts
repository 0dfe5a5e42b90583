import type { Command } from 'commander'
import type { Work } from '../command.ts'

/** What may be typed after these words. */
interface Place {
  readonly path: readonly string[]
  readonly words: readonly { word: string; about: string }[]
  /** Options that take a value, each with those that it takes; none: it may be anything, a file for one. */
  readonly values: readonly { option: string; choices: readonly string[] }[]
}

export const printCompletion: Work<{ shell: 'bash' | 'zsh' }> = async ({ command }, { shell }) => {
  const script = shell === 'bash' ? bash(placesOf(command.parent!)) : zsh(placesOf(command.parent!))
  return { json: { shell, script }, text: script.trimEnd() }
}

function placesOf(program: Command): Place[] {
  const everywhere = [...program.options, { long: '--help', description: 'show how' }]
  const visit = (command: Command, path: readonly string[]): Place[] => {
    const commands = command.commands.map((one) => ({ word: one.name(), about: one.description() }))
    const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
      argChoices.map((word) => ({ word, about: '' })),
    )
    const own = command === program ? [] : command.options
    const options = [...own, ...everywhere].map(({ long, description }) => ({ word: long!, about: description }))
    const values = [...own, ...program.options].flatMap(({ long, required, argChoices = [] }) =>
      required ? [{ option: long!, choices: argChoices }] : [],
    )
    return [
      { path, words: [...commands, ...choices, ...options], values },
      ...command.commands.flatMap((one) => visit(one, [...path, one.name()])),
    ]
  }
  return visit(program, [])
}

/** Cases of a shell that find the place: a word goes on with the path if that is one, and is an argument otherwise. */
const walk = (places: readonly Place[]): string => {
  const paths = places.slice(1).map(({ path }) => `'${path.join(' ')}'`)
  return `case "\${place:+$place }$word" in\n      ${paths.join('|')}) place="\${place:+$place }$word" ;;\n    esac`
}

/** Cases of a shell for the value of an option. */
const valuesIn = (places: readonly Place[], show: (choices: readonly string[]) => string): string =>
  places
    .flatMap(({ path, values }) =>
      values.map(({ option, choices }) => `    '${[...path, option].join(' ')}') ${show(choices)} ;;`),
    )
    .join('\n')

function bash(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words }) => `    '${path.join(' ')}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  )
  return `# bash completion of games-lrs
_games_lrs() {
  local place= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${walk(places)}
  done
  case "$place" in
${cases.join('\n')}
  esac
  case "\${place:+$place }\${COMP_WORDS[COMP_CWORD-1]}" in
${valuesIn(places, (choices) => `words='${choices.join(' ')}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _games_lrs games-lrs
`
}

function zsh(places: readonly Place[]): string {
  const quoted = ({ word, about }: Place['words'][number]) =>
    `'${`${word.replaceAll(':', '\\:')}:${about}`.replaceAll("'", "'\\''")}'`
  const cases = places.map(({ path, words }) => `    '${path.join(' ')}') choices=(${words.map(quoted).join(' ')}) ;;`)
  return `#compdef games-lrs
_games_lrs() {
  local place= word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    ${walk(places)}
  done
  case "$place" in
${cases.join('\n')}
  esac
  case "\${place:+$place }\${words[CURRENT-1]}" in
${valuesIn(places, (choices) => `choices=(${choices.map((word) => `'${word}'`).join(' ')})`)}
  esac
  _describe 'games-lrs' choices || _files
}
if [ "$funcstack[1]" = _games_lrs ] || [ "$funcstack[1]" = _games-lrs ]; then _games_lrs "$@"; else compdef _games_lrs games-lrs; fi
`
}
