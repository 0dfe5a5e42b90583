import { parseArgs } from 'node:util'
import { shapeOf, shapes } from './shapes/shapes.ts'

/** `suites`: sub-benches on filled stores; `grow`: while a store is filled; `memory`: with less memory than data. */
export type Mode = 'suites' | 'grow' | 'memory'

export interface Arguments {
  mode: Mode
  suites: string[]
  /** Names. */
  shapes: string[]
  /** Empty with `memory` unless told. */
  sizes: number[]
  rounds: number
  ms: number
  minutes: number
  /** MiB that Postgres has with `memory`. */
  memory: number
  /** How many times the memory the database is. */
  times: number
  /** Folder of the control group in which Postgres gets one of its own. */
  group?: string
  profile: boolean
  data?: string
  output?: string
}

export const usage = `Usage: npm run bench -- [sub-benches] [options]
  --quick          10 thousand statements, 3 short rounds
  --shape a[,b]    what the statements are like (${shapes[0]!.name}); all: each of
                   ${shapes.map(({ name }) => name).join(', ')}
  --size n[,n]     statements in the store (10000,1000000)
  --rounds n       rounds of each arm (5)
  --seconds n      length of a round (2)
  --minutes n      how long memory is watched (1)
  --profile        write CPU profiles of core and gateway (they cost speed)
  --data folder    keep the filled stores there and use them again
  --output file    JSON of the run (bench/results/<date>.json; none with --quick)

In place of the sub-benches:
  --grow           measure while an empty store is filled to --size (200000)
  --memory n       give Postgres n MiB, and fill the store until it is --times n (20) as large, or to --size
  --group folder   the memory control group (as /sys/fs/cgroup/memory) in which Postgres gets one of its own with that
                   limit; without it the limit is not applied`

const defaultSizes = { suites: '10000,1000000', grow: '200000', memory: '' }

/** Reads the command line. @throws Error with the line to show */
export function readArguments(argv: string[], known: readonly string[]): Arguments {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      quick: flag, shape: text, size: text, rounds: text, seconds: text, minutes: text, profile: flag, data: text, output: text,
      grow: flag, memory: text, times: text, group: text,
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
    suites: positionals.length > 0 ? positionals : [...known],
    shapes: namesOf(values.shape),
    sizes: sizes.split(',').filter(Boolean).map((size) => number('size', size)),
    rounds: number('rounds', values.rounds ?? (quick ? '3' : '5')),
    ms: number('seconds', values.seconds ?? (quick ? '0.25' : '2')) * 1000,
    minutes: number('minutes', values.minutes ?? (quick ? '0.1' : '1')),
    memory: number('memory', values.memory ?? '256'),
    times: number('times', values.times ?? '20'),
    group: values.group,
    profile: values.profile,
    data: values.data,
    output: values.output ?? (quick ? undefined : `bench/results/${new Date().toISOString().slice(0, 16).replace(':', '')}.json`),
  }
}

function namesOf(text = shapes[0]!.name): string[] {
  return text === 'all' ? shapes.map(({ name }) => name) : text.split(',').map((name) => shapeOf(name).name)
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`--${name} is ${JSON.stringify(text)}, but has to be a number above 0.`)
}
