import type { Job } from '../../gen/lrs/v1/operator_pb.js'
import type { Work } from '../command.ts'
import { Failed } from '../failed.ts'
import { bytes, list, number, table, time } from '../show.ts'

export const showStorage: Work<object> = async (session) => {
  const found = await (await session.connect()).operator.getStorage({})
  const { builds, files, uploads, garbage, garbageDue, biggest } = found
  const head = list({
    builds: `${bytes(builds!.bytes)} in ${number(builds!.count)}`,
    'images and documents': `${bytes(files!.bytes)} in ${number(files!.count)}`,
    'uploads under way': `${bytes(uploads!.bytes)} in ${number(uploads!.count)}`,
    'to be removed': `${number(garbage)}, of which ${number(garbageDue)} are due`,
  })
  const largest = table(biggest, 'No game has a build.', {
    'largest games': ({ name }) => name,
    studio: ({ studioName }) => studioName,
    builds: ({ builds }) => bytes(builds),
    'images, documents': ({ files }) => bytes(files),
    id: ({ gameId }) => gameId,
  })
  return { json: found, text: `${head}\n\n${largest}` }
}

export const listJobs: Work<object> = async (session) => {
  const found = await (await session.connect()).operator.listJobs({})
  const outcome = ({ running, runs, problem }: Job) =>
    running > 0 ? 'running' : runs === 0n ? 'not yet' : problem === '' ? 'done' : `failed: ${problem}`
  const jobs = table(found.jobs, 'Nothing has run yet.', {
    job: ({ name }) => name,
    every: ({ everySeconds }) => (everySeconds > 0 ? `${number(everySeconds)} s` : ''),
    is: outcome,
    'last began (UTC)': ({ began }) => time(began),
    took: ({ runs, tookMs }) => (runs > 0n ? `${number(tookMs)} ms` : ''),
    runs: ({ runs }) => number(runs),
    failed: ({ failures }) => number(failures),
  })
  return { json: found, text: `Core: ${found.core}\n\n${jobs}` }
}

export const listLimits: Work<object> = async (session) => {
  const found = await (await session.connect()).quotas.listLimits({})
  const groups = Map.groupBy(found.limits, ({ group }) => group).entries()
  const texts = groups.map(([group, limits]) => {
    const all = table(limits, '', {
      of: ({ subject }) => subject,
      limit: ({ limit }) => limit,
      'for each': ({ keyedBy }) => keyedBy,
    })
    return `${group}\n${all}`
  })
  return { json: found, text: texts.toArray().join('\n\n') }
}

export const sealSecrets: Work<object> = async (session) => {
  const found = await (await session.connect()).admin.sealSecrets({})
  const { sealed, kept, unreadable, unreadableCount } = found
  if (unreadableCount > 0)
    throw new Failed(
      `Sealed with the first key: ${sealed}. No key opens ${unreadableCount} (${unreadable.slice(0, 3).join(', ')}` +
        `${unreadableCount > 3 ? ', …' : ''}): add their key to LRS_SECRET_KEYS of core, or have them set up again.`,
    )
  const text = `Sealed with the first key now: ${sealed}. Sealed with it already: ${kept}.\nYou can remove the other keys.`
  return { json: found, text }
}
