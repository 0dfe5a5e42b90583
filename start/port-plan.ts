/** Port of the first process of each kind, and numbers of processes. */
export interface PortPlan {
  gatewayPort: number
  portalPort: number
  playerPort: number
  corePort: number
  relayPort: number
  gateways: number
  cores: number
}

/** The second process of a kind listens this much higher than the first, the third twice as much. */
const step = 100

/** Port of the n-th process of a kind (from 0), if the first one listens at `first`. */
export const portOf = (first: number, n: number): number => first + n * step

/** Port at which only the n-th of several gateways answers; all of them share GATEWAY_PORT. */
export const ownPortOf = (gatewayPort: number, n: number): number => portOf(gatewayPort, n + 1)

/** Every port of the system, with the setting that it follows from. */
export function portsOf(plan: PortPlan): { setting: string; port: number }[] {
  const { gatewayPort, gateways, corePort, cores, relayPort, portalPort, playerPort } = plan
  const own = gateways === 1 ? [] : Array.from({ length: gateways }, (_, n) => ownPortOf(gatewayPort, n))
  const of = (setting: string, first: number) =>
    Array.from({ length: cores }, (_, n) => ({ setting, port: portOf(first, n) }))
  return [
    { setting: 'GATEWAY_PORT', port: gatewayPort },
    ...own.map((port) => ({ setting: 'GATEWAY_PORT', port })),
    { setting: 'PORTAL_PORT', port: portalPort },
    ...of('CORE_PORT', corePort),
    ...of('CORE_RELAY_PORT', relayPort),
    { setting: 'PLAYER_PORT', port: playerPort },
  ]
}
