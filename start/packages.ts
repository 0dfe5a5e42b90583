// Makes the packages of the clients for npm, PyPI, NuGet, OpenUPM and Godot's library of assets. A package whose tool is
// not installed is named and left out. Nothing is sent anywhere.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clientPackages, packClient } from '../portal/routes/games/client-packages.ts'

const clients = resolve(import.meta.dirname, '..', 'clients')
const target = resolve(process.argv[2] ?? 'data/packages')
mkdirSync(target, { recursive: true })

for (const [name, from] of Object.entries(clientPackages)) {
  writeFileSync(join(target, name), packClient(from))
  process.stdout.write(`made      ${name}\n`)
}

/** Each by its own tool, which refuses what its registry would refuse. */
const tools = [
  { name: 'npm', command: ['npm', 'pack', './javascript', '--pack-destination', target] },
  // the registry of OpenUPM has the form of npm's
  { name: 'OpenUPM', command: ['npm', 'pack', './unity', '--pack-destination', target] },
  { name: 'PyPI', command: ['python3', '-m', 'build', '--outdir', target, 'python'] },
  { name: 'NuGet', command: ['dotnet', 'pack', 'unity/DotNet~/GamesLrs.csproj', '--output', target] },
] as const
for (const { name, command } of tools) {
  const [program, ...parameters] = command
  const { status, error, stderr } = spawnSync(program, parameters, { cwd: clients, encoding: 'utf8' })
  const lacks = error !== undefined || /No module named build/.test(stderr)
  const said =
    status === 0
      ? `made      the package for ${name}`
      : lacks
        ? `NOT MADE  ${name} needs ${command.slice(0, 3).join(' ')}`
        : `WRONG     ${name}: ${stderr}`
  process.stdout.write(`${said}\n`)
  if (status !== 0 && !lacks) process.exitCode = 1
}
