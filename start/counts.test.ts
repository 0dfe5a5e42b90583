import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { usualCounts } from './counts.ts'
import { portsOf } from './port-plan.ts'

const isLinux = process.platform === 'linux'

test.runIf(isLinux).each([
  [1, 1, 1],
  [2, 1, 1],
  [7, 1, 1],
  [8, 2, 2],
  [16, 4, 4],
  [64, 8, 4],
])('on %i processors: %i gateways, %i cores', (processors, gateways, cores) =>
  expect(usualCounts(processors)).toEqual({ gateways, cores }),
)

test('one of each listens at the ports that are set, and nowhere else', () =>
  expect(portsOf(readConfig({ LRS_GATEWAYS: '1', LRS_CORES: '1' })).map(({ port }) => port)).toEqual([
    8080, 8081, 8082, 8083, 8084,
  ]))

test.runIf(isLinux)('further cores listen 100 higher, gateways share a port and have one each', () =>
  expect(portsOf(readConfig({ LRS_GATEWAYS: '2', LRS_CORES: '3' })).map(({ port }) => port)).toEqual([
    8080, 8180, 8280, 8081, 8082, 8182, 8282, 8083, 8183, 8283, 8084,
  ]),
)

test.runIf(isLinux).each([
  [{ LRS_GATEWAYS: '0' }, 'LRS_GATEWAYS is "0", but must be a whole number from 1 to 8.'],
  [{ LRS_CORES: '5' }, 'LRS_CORES is "5", but must be a whole number from 1 to 4.'],
  [
    { LRS_CORES: '2', PORTAL_PORT: '8183' },
    'CORE_RELAY_PORT is 8183, but PORTAL_PORT is that already: they have to differ.',
  ],
  [{ LRS_CORES: '2', CORE_PORT: '65500' }, 'CORE_PORT is too high: the last process would listen at 65600.'],
])('%j is refused', (env, message) => expect(() => readConfig(env)).toThrow(message))
