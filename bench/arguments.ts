import { parseArgs } from 'node:util'
import { shapeOf, shapes } from './shapes/shapes.ts'

/** `suites`: on filled stores; `grow`: while an empty store grows; `memory`: with less memory than data. */
export type Mode = 'suites' | 'grow' | 'memory'

export interface Arguments {
  mode: Mode
  suites: string[]
  /** Names of shapes. */
  shapes: string[]
  /** Statements; empty with `memory` and no --size. */
  sizes: number[]
  rounds: number
  ms: number
  minutes: number
  /** MiB of memory for Postgres, with `memory`. */
  memory: number
  /** Size of the database divided by that memory. */
  times: number
  /** Folder of the memory control group in which the bench makes one for Postgres. */
  group?: string
  profile: boolean
  data?: string
  output?: string
}

export const usage = `Usage: npm run bench -- [sub-benches] [options]
  --quick          10 thousand statements, 3 short rounds
  --shape a[,b]    shape of the data (${shapes[0]!.name}), or all:
                   ${shapes.map(({ name }) => name).join(', ')}
  --size n[,n]     statements in the store (10000,1000000)
  --rounds n       rounds of each arm (5)
  --seconds n      length of a round (2)
  --minutes n      how long memory is watched (1)
  --profile        write CPU profiles of core and gateway (they cost speed)
  --data folder    keep the filled stores there and use them again
  --output file    JSON of the run (bench/results/<date>.json; none with --quick)

In place of the sub-benches:
  --grow           measure while an empty store grows to --size (200000)
  --memory n       limit Postgres to n MiB of memory; fill the store to --times n (20) this memory, or to --size
  --group folder   memory control group (for example /sys/fs/cgroup/memory); the bench makes a group with the limit in
                   it; without --group there is no limit`

const defaultSizes = { suites: '10000,1000000', grow: '200000', memory: '' }

/** Reads the command line. @throws Error with the line to show */
export function readArguments(argv: string[], known: readonly string[], usual: readonly string[] = known): Arguments {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      quick: flag,
      shape: text,
      size: text,
      rounds: text,
      seconds: text,
      minutes: text,
      profile: flag,
      data: text,
      output: text,
      grow: flag,
      memory: text,
      times: text,
      group: text,
    },
  })
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no sub-bench ${unknown}; there are ${known.join(', ')}.`)
  const { quick } = values
  if (values.grow && values.memory !== undefined) throw new Error('--grow and --memory are two runs.')
  const mode = values.grow ? 'grow' : values.memory === undefined ? 'suites' : 'memory'
  if (mode !== 'suites' && positionals.length > 0) throw new Error(`--${mode} takes no sub-benches.`)
  const sizes = values.size ?? (quick && mode === 'suites' ? '10000' : defaultSizes[mode])
  return {
    mode,
    suites: positionals.length > 0 ? positionals : [...usual],
    shapes: namesOf(values.shape),
    sizes: sizes
      .split(',')
      .filter(Boolean)
      .map((size) => number('size', size)),
    rounds: number('rounds', values.rounds ?? (quick ? '3' : '5')),
    ms: number('seconds', values.seconds ?? (quick ? '0.25' : '2')) * 1000,
    minutes: number('minutes', values.minutes ?? (quick ? '0.1' : '1')),
    memory: number('memory', values.memory ?? '256'),
    times: number('times', values.times ?? '20'),
    group: values.group,
    profile: values.profile,
    data: values.data,
    output:
      values.output ??
      (quick ? undefined : `bench/results/${new Date().toISOString().slice(0, 16).replace(':', '')}.json`),
  }
}

function namesOf(text = shapes[0]!.name): string[] {
  return text === 'all' ? shapes.map(({ name }) => name) : text.split(',').map((name) => shapeOf(name).name)
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`--${name} is ${JSON.stringify(text)}, but must be a number above 0.`)
}
