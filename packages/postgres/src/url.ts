/** How a URL of Postgres is written, for the words of an error. None quotes the URL, which holds a password. */
export const POSTGRES_URL_FORM =
  'write postgres://user:password@host:port/database, and in the password %23 for #, %2F for /, %3F for ?, %40 for @ and %25 for %'

/**
 * Whether `pg` can read a URL of Postgres: a password with one of these characters cuts it off. What does not
 * begin as one, such as the path of a socket, is left to `pg`.
 */
export const isPostgresUrl = (url: string): boolean =>
  !/^postgres(?:ql)?:\/\//i.test(url) || URL.canParse(url)
