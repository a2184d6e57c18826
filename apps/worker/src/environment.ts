/**
 * Variables that stay in the environment of a worker after it has read its settings: what programs and
 * libraries need to run on this machine, and what tests and the shipped extensions read later. All others are
 * taken away, the credentials of the worker among them.
 */
const KEPT =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LC_\w+|TMPDIR|TEMP|TMP|SYSTEMROOT|PATHEXT|COMSPEC|APPDATA|LOCALAPPDATA|USERPROFILE|NODE_\w+|XDG_\w+|SSL_CERT_\w+|(HTTPS?|ALL|NO)_PROXY|TREEOS_(PROXY_RESOLVES|WEATHER_URL|TEST_\w+))$/i

/**
 * Takes the settings of a worker out of the environment of this process, so that code of extensions and
 * programs that it starts do not see them. Variables that TREEOS_EXTENSION_VARIABLES names, with commas
 * between, stay. What the process was started with can still be read by a program of the same user, where the
 * system shows it (`/proc/self/environ`).
 * @returns all variables, as they were
 */
export function takeEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const all = { ...env }
  const named = (env.TREEOS_EXTENSION_VARIABLES ?? '').split(',').map((name) => name.trim())
  for (const name of Object.keys(env)) if (!KEPT.test(name) && !named.includes(name)) delete env[name]
  return all
}
