const browsers: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS)\/\d/, 'Edge'],
  [/\bOPR\/\d/, 'Opera'],
  [/\bSamsungBrowser\/\d/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/\d/, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\/\d/, 'Chrome'],
  [/\bVersion\/\d.*\bSafari\/\d/, 'Safari'],
  [/\bcurl\/\d/, 'curl'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

/** Browser and system in words, such as `Firefox on Windows`, from a User-Agent; nothing else of it is kept. */
export function deviceOf(userAgent: string): string {
  const start = userAgent.slice(0, 500)
  const [browser, system] = [browsers, systems].map((all) => all.find(([sign]) => sign.test(start))?.[1])
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Unknown browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
