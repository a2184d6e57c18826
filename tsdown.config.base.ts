import type { UserConfig } from 'tsdown'

/** One door of a package (`src/index.ts`, `src/workflow.ts`) is one entry; every file keeps its place in dist. */
export const forPackage = (...doors: string[]): UserConfig => ({
  entry: doors.map((door) => `src/${door}.ts`),
  format: 'esm',
  platform: 'neutral',
  target: 'node22',
  unbundle: true,
  dts: true,
  sourcemap: true,
  fixedExtension: false,
  tsconfig: '../../tsconfig.base.json',
})
