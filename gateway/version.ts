const supported = /^(?:1\.0(?:\.\d{1,3})?|2\.0\.\d{1,3})$/

/** Whether X-Experience-API-Version names a version that the service speaks: 1.0, 1.0.x or 2.0.x. */
export function isSupported(version: string): boolean {
  return supported.test(version)
}

/** Whether the version is one of IEEE 9274.1.1 (2.0.x). */
export function isIeee(version: string): boolean {
  return version.startsWith('2.')
}
