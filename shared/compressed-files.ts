/** Content codings in which core keeps files of builds, beside the files themselves. */
export type Coding = 'br' | 'gzip'

/** Whether core compresses a file of a build, by its name: types that usually gain. */
export const isCompressible = (name: string): boolean => /\.(wasm|m?js|json|html?|css|svg|txt|data|pck)$/i.test(name)

/** Where the file of a build at this key is in a coding. Not every file is: it must gain, and older builds have none. */
export const compressedKey = (key: string, coding: Coding): string =>
  key.replace(/^builds\/[^/]+\//, (build) => `${derivedFolder(build)}${coding}/`)

/** The folder of what core makes of a browser build, by the folder of the build. It is removed with it. */
export const derivedFolder = (build: string): string => build.replace('builds/', 'derived/')
