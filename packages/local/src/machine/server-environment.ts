/** Variables that a program needs to find its files, its language and its time zone. */
const NEEDED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|TZ|LANG|LC_[A-Z]+|LD_LIBRARY_PATH|DYLD_[A-Z_]+|SystemRoot|XDG_[A-Z_]+)$/i

/**
 * The environment of a server that we start: without the keys of models and the other secrets of this shell.
 */
export function serverEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => NEEDED.test(name)))
}
