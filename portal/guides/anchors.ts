/** Gives the headings of a page the anchors that GitHub gives them, so that links work in both places. */
export function anchors(): (heading: string) => string {
  const used = new Set<string>()
  return (heading) => {
    const plain = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = plain
    for (let n = 1; used.has(anchor); n++) anchor = `${plain}-${n}`
    used.add(anchor)
    return anchor
  }
}
