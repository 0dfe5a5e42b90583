const supported = /^(?:1\.0|2\.0)(?:\.\d{1,3})?$/
/** A version without its patch means the latest one. */
const latest: Readonly<Record<string, string>> = { '1.0': '1.0.3', '2.0': '2.0.0' }

/** The versions that the service speaks, as messages name them. */
export const spokenVersions = '1.0.3 (any 1.0.x) or 2.0.x'

/** The version that X-Experience-API-Version names, with its patch: 1.0.x or 2.0.x; undefined: none that we speak. */
export function versionOf(header: string): string | undefined {
  return supported.test(header) ? (latest[header] ?? header) : undefined
}

/** Whether the version is one of IEEE 9274.1.1 (2.0.x). */
export function isIeee(version: string): boolean {
  return version.startsWith('2.')
}
