import { parseArgs } from 'node:util'

export interface Arguments {
  suites: string[]
  sizes: number[]
  rounds: number
  ms: number
  minutes: number
  profile: boolean
  data?: string
  output?: string
}

export const usage = `Usage: npm run bench -- [sub-benches] [options]
  --quick          10 thousand statements, 3 short rounds: all within two minutes
  --size n[,n]     statements in the store (10000,1000000)
  --rounds n       rounds of each arm (5)
  --seconds n      length of a round (2)
  --minutes n      how long memory is watched (1)
  --profile        write CPU profiles of core and gateway (they cost speed)
  --data folder    keep the filled stores there and use them again
  --output file    JSON of the run (bench/results/<date>.json; none with --quick)`

/** Reads the command line. @throws Error with the line to show */
export function readArguments(argv: string[], known: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false }, size: { type: 'string' }, rounds: { type: 'string' }, seconds: { type: 'string' },
      minutes: { type: 'string' }, profile: { type: 'boolean', default: false }, data: { type: 'string' }, output: { type: 'string' },
    },
  })
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no sub-bench ${unknown}; there are ${known.join(', ')}.`)
  const { quick } = values
  return {
    suites: positionals.length > 0 ? positionals : [...known],
    sizes: (values.size ?? (quick ? '10000' : '10000,1000000')).split(',').map((size) => number('size', size)),
    rounds: number('rounds', values.rounds ?? (quick ? '3' : '5')),
    ms: number('seconds', values.seconds ?? (quick ? '0.25' : '2')) * 1000,
    minutes: number('minutes', values.minutes ?? (quick ? '0.1' : '1')),
    profile: values.profile,
    data: values.data,
    output: values.output ?? (quick ? undefined : `bench/results/${new Date().toISOString().slice(0, 16).replace(':', '')}.json`),
  }
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`--${name} is ${JSON.stringify(text)}, but has to be a number above 0.`)
}
