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
}

const scratch = await mkdtemp(join(tmpdir(), 'games-lrs-check-'))
/** The lists run at the same time, each in its order. */
const checks: Check[][] = [
  [
    { name: 'types', command: ['tsc', '-p', '.'] },
    { name: 'types of the client', command: ['tsc', '-p', 'clients/javascript'] },
  ],
  [
    {
      name: 'lint',
      command: [
        'oxlint',
        '--type-aware',
        '--deny-warnings',
        '--ignore-pattern',
        'test/fixtures/**/wrong-import.ts',
        '.',
      ],
    },
    ...wrongImports.map((path): Check => ({ name: `lint refuses ${path}`, command: ['oxlint', path], fails: true })),
    { name: 'format', command: ['oxfmt', '--check', '**/*.{ts,js,mjs}', '!test/fixtures/format/**'] },
    {
      name: 'an unformatted file is refused',
      command: ['oxfmt', '--check', 'test/fixtures/format/unformatted.ts'],
      fails: true,
    },
    { name: 'limits are stated once', command: ['node', 'start/check-limits.ts'] },
    {
      name: 'a second limit is refused',
      command: ['node', 'start/check-limits.ts', 'test/fixtures/limits/second-limit.ts'],
      fails: true,
    },
    { name: 'packages have hashes', command: ['node', 'start/bootstrap.mjs', 'start/check-lock.ts'] },
    { name: 'contract: lint', command: ['buf', 'lint'] },
    { name: 'contract: format', command: ['buf', 'format', '--diff', '--exit-code'] },
    { name: 'contract: nothing breaks', command: ['buf', 'breaking', '--against', 'proto/released.binpb'] },
    { name: 'generated code: make it', command: ['buf', 'generate', '--output', scratch] },
    { name: 'generated code: as committed', command: ['diff', '--recursive', '--brief', join(scratch, 'gen'), 'gen'] },
    {
      name: 'docs/rpc.md: make it',
      command: ['node', 'start/bootstrap.mjs', 'start/write-services.ts', join(scratch, 'rpc.md')],
    },
    {
      name: 'layers: make what follows from them',
      command: ['node', 'start/bootstrap.mjs', 'start/write-layers.ts', scratch],
    },
    {
      name: 'layers: the linter has them as committed',
      command: ['diff', '--brief', join(scratch, '.oxlintrc.json'), '.oxlintrc.json'],
    },
    {
      name: 'layers: docs/architecture.md as committed',
      command: ['diff', '--brief', join(scratch, 'architecture.md'), 'docs/architecture.md'],
    },
    { name: 'layers: no circles', command: ['node', 'start/check-layers.ts'] },
    {
      name: 'a circle of layers is refused',
      command: ['node', 'start/check-layers.ts', 'test/fixtures/circle-of-layers'],
      fails: true,
    },
    {
      name: 'a circle of pages is refused',
      command: ['node', 'start/check-layers.ts', 'test/fixtures/circle-of-pages'],
      fails: true,
    },
    { name: 'docs/rpc.md: as committed', command: ['diff', '--brief', join(scratch, 'rpc.md'), 'docs/rpc.md'] },
    { name: 'client: make it', command: ['node', 'clients/javascript/build.ts', join(scratch, 'client')] },
    {
      name: 'client: as committed',
      command: ['diff', '--recursive', '--brief', join(scratch, 'client'), 'clients/javascript/dist'],
    },
    { name: 'client for Godot 3: as committed', command: ['node', 'clients/godot/build.ts', '--check'] },
  ],
]

/** Runs one check and prints its output if the result is wrong. */
async function run({ name, command: [program, ...parameters], fails = false }: Check): Promise<boolean> {
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
  const good = failed === fails
  process.stdout.write(
    `${good ? 'ok    ' : 'WRONG '} ${name}\n${good ? '' : `${output || 'It passed, but should not.'}\n`}`,
  )
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
