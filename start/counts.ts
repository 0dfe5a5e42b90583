import { availableParallelism } from 'node:os'
import { SettingError } from '../shared/settings/kinds.ts'
import type { Settings } from '../shared/settings/settings.ts'

/** Linux spreads the connections of one port over the processes that listen at it; macOS gives them all to one. */
const mayShare = process.platform === 'linux'
/** Postgres from npm takes 60 connections. */
const most = { gateways: 8, cores: 4 }

/**
 * One gateway and one core for each four processors: for a statement, Postgres takes about as much of them as both
 * together, and on fewer processors more processes only cost memory (docs/performance.md).
 */
export function usualCounts(processors: number): { gateways: number; cores: number } {
  const each = Math.max(1, Math.floor(processors / 4))
  return { gateways: mayShare ? Math.min(each, most.gateways) : 1, cores: Math.min(each, most.cores) }
}

/** @throws SettingError */
export function readCounts(given: Pick<Settings<'start'>, 'gateways' | 'cores'>): { gateways: number; cores: number } {
  const usual = usualCounts(availableParallelism())
  const counts = { gateways: given.gateways ?? usual.gateways, cores: given.cores ?? usual.cores }
  if (counts.gateways > 1 && !mayShare)
    throw new SettingError(`LRS_GATEWAYS must be 1 here: only Linux lets several gateways share a port.`)
  return counts
}
