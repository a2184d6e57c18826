/** What workflow code may use: all of core is pure, so the two doors open on the same room. */
export * from './index.ts'
