/** What workflow code may use: all of core is pure, so both doors open on the names that index.ts lists. */
export * from './index.ts'
