import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { audit } from './audit.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const bin = join(root, 'node_modules/.bin')
/** A file for each layer of .oxlintrc.json, and two files that import each other. */
const wrongImports = globSync('test/fixtures/**/wrong-import.ts', { cwd: root })

interface Check {
  name: string
  command: string[]
  /** The command must fail, because its input is wrong. */
  fails?: boolean
  /** Its output has to name each of these. */
  naming?: readonly string[]
}

const scratch = await mkdtemp(join(tmpdir(), 'games-lrs-check-'))
const script = (...args: string[]): string[] => ['node', 'start/bootstrap.mjs', ...args]
const refused = (name: string, ...command: string[]): Check => ({ name, command, fails: true })
/** Makes again what is committed, and compares: files of the scratch folder with those of the project. */
const made = (name: string, command: string[], files: Readonly<Record<string, string>>): Check[] => [
  { name: `${name}: make it`, command },
  ...Object.entries(files).map(([file, committed]) => ({
    name: `${name}: ${committed} as committed`,
    command: ['diff', '--recursive', '--brief', join(scratch, file), committed],
  })),
]
const lint = ['oxlint', '--type-aware', '--deny-warnings', '--ignore-pattern', 'test/fixtures/**/wrong-import.ts', '.']
/** The lists run at the same time, each in its order. */
const checks: Check[][] = [
  [
    // each further checker works out again what the files share, and the other processor has lint to do
    { name: 'types', command: ['tsc', '-p', '.', '--checkers', '1'] },
    { name: 'types of the client', command: ['tsc', '-p', 'clients/javascript'] },
  ],
  [
    { name: 'lint', command: lint },
    {
      ...refused(`lint refuses ${wrongImports.length} wrong imports`, 'oxlint', '--format=json', ...wrongImports),
      naming: wrongImports.map((path) => `"filename": "${path}"`),
    },
    { name: 'format', command: ['oxfmt', '--check', '**/*.{ts,js,mjs}', '!test/fixtures/format/**'] },
    refused('an unformatted file is refused', 'oxfmt', '--check', 'test/fixtures/format/unformatted.ts'),
    { name: 'limits are stated once', command: ['node', 'start/check-limits.ts'] },
    refused('a second limit is refused', 'node', 'start/check-limits.ts', 'test/fixtures/limits/second-limit.ts'),
    { name: 'packages have hashes', command: script('start/check-lock.ts') },
    { name: 'contract: lint', command: ['buf', 'lint'] },
    { name: 'contract: format', command: ['buf', 'format', '--diff', '--exit-code'] },
    { name: 'contract: nothing breaks', command: ['buf', 'breaking', '--against', 'proto/released.binpb'] },
    ...made('generated code', ['buf', 'generate', '--output', scratch], { gen: 'gen' }),
    ...made('methods', script('start/write-services.ts', join(scratch, 'rpc.md')), { 'rpc.md': 'docs/rpc.md' }),
    ...made('layers', script('start/write-layers.ts', scratch), {
      '.oxlintrc.json': '.oxlintrc.json',
      'architecture.md': 'docs/architecture.md',
    }),
    { name: 'layers: no circles', command: ['node', 'start/check-layers.ts'] },
    ...['layers', 'pages'].map((what) =>
      refused(`a circle of ${what} is refused`, 'node', 'start/check-layers.ts', `test/fixtures/circle-of-${what}`),
    ),
    ...made('client', ['node', 'clients/javascript/build.ts', join(scratch, 'client')], {
      client: 'clients/javascript/dist',
    }),
    ...made('package of push', ['node', 'clients/push/build.ts', join(scratch, 'push')], { push: 'clients/push/dist' }),
    { name: 'client for Godot 3: as committed', command: ['node', 'clients/godot/build.ts', '--check'] },
  ],
]

/** Runs one check and prints its output if the result is wrong. */
async function run({ name, command: [program, ...parameters], fails = false, naming = [] }: Check): Promise<boolean> {
  const child = spawn(program!, parameters, {
    cwd: root,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const failed = await new Promise<boolean>((resolve) => {
    child.on('error', (error) => {
      output += error.message
      resolve(true)
    })
    child.on('close', (code) => resolve(code !== 0))
  })
  const unnamed = naming.filter((text) => !output.includes(text))
  const good = failed === fails && unnamed.length === 0
  const why = unnamed.length > 0 ? `Nothing about ${unnamed.join(', ')}` : output || 'It passed, but should not.'
  process.stdout.write(`${good ? 'ok    ' : 'WRONG '} ${name}\n${good ? '' : `${why}\n`}`)
  return good
}

/** Warns loudly if the registry gives no answer: silence would look like a good one. */
async function auditDependencies(): Promise<boolean> {
  const { good, said } = await audit(root)
  process.stdout.write(
    good === undefined
      ? `\n*** Dependencies were NOT audited: ${said}. Run npm audit where the registry answers it. ***\n\n`
      : `${good ? 'ok    ' : 'WRONG '} dependencies: ${said}\n`,
  )
  return good !== false
}

let wrong = 0
await Promise.all(
  checks.map(async (list) => {
    for (const check of list) if (!(await run(check))) wrong++
  }),
)
if (!(await auditDependencies())) wrong++
await rm(scratch, { recursive: true })
process.stdout.write(wrong > 0 ? `${wrong} wrong\n` : 'All checks are right.\n')
process.exitCode = wrong > 0 ? 1 : 0
