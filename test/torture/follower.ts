import { setTimeout as sleep } from 'node:timers/promises'
import type { XapiClient } from '../support/xapi.ts'
import type { Random } from './random.ts'

/** Reads along by `since` with the last `stored` that it has, through whichever gateway answers, until all is read after `over`. */
export async function follow(
  gateways: readonly XapiClient[],
  random: Random,
  over: () => boolean,
): Promise<{ ids: string[]; disorder: number }> {
  const ids: string[] = []
  let since = ''
  let disorder = 0
  for (;;) {
    const last = over()
    const page = await random
      .of(gateways)
      .get({ since: since === '' ? undefined : since, ascending: true, limit: 500 })
      .catch(() => undefined)
    if (page?.status !== 200) {
      await sleep(50)
      continue
    }
    for (const { id, stored } of page.json.statements as { id: string; stored: string }[]) {
      if (stored <= since) disorder++
      since = stored
      ids.push(id)
    }
    if (page.json.statements.length > 0) continue
    if (last) return { ids, disorder }
    await sleep(20)
  }
}
