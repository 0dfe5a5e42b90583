import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identity } from './processes.ts'

/** Ports of the parts of a running system, by setting. */
export type Ports = Readonly<Record<string, number>>

const fileOf = (dataDir: string): string => join(dataDir, 'running.json')

/** Writes the ports of this system to its data folder, without secrets. Returns a function that removes them. */
export function noteRunning(dataDir: string, ports: Ports): () => void {
  const file = fileOf(dataDir)
  writeFileSync(`${file}.new`, `${JSON.stringify({ process: identity(process.pid), ports }, null, 2)}\n`, {
    mode: 0o644,
  })
  renameSync(`${file}.new`, file)
  return () => rmSync(file, { force: true })
}

/** The ports of the system that runs on this data folder; undefined: none runs on this machine. */
export function runningPorts(dataDir: string): Ports | undefined {
  try {
    const { process, ports }: { process: string; ports: Ports } = JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))
    // a killed start leaves its file, and other processes may have its ports by now
    const isWhole = Object.values(ports).every((port) => Number.isInteger(port))
    return isWhole && identity(Number.parseInt(process)) === process ? ports : undefined
  } catch {
    return undefined
  }
}
