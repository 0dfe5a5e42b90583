declare module 'tincanjs' {
  // It brings no types of its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  const TinCan: any
  export default TinCan
}
