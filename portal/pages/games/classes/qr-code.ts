import { Html } from '../../../web/html.ts'

/** A QR code as SVG: one line for each run of dark modules, so that a page has room for many. */
export async function qrCode(text: string, label: string): Promise<Html> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  let path = ''
  for (const [y, row] of data.entries()) {
    let end = -1
    for (let x = 0; x < size; x++) {
      if (!row[x]) continue
      let run = 1
      while (row[x + run]) run++
      path += end < 0 ? `M${x} ${y}.5h${run}` : `m${x - end} 0h${run}`
      end = x += run
    }
  }
  return new Html(
    `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}"><path fill="#fff" d="M0 ` +
      `0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`,
  )
}
