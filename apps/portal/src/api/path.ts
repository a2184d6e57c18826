/** Where the API is. */
export const API_PATH = '/api/v1'
/** Where files are given. */
export const FILES_PATH = `${API_PATH}/files`
/** Where beings are for chat clients, which know this path of OpenAI's API. */
export const CHAT_PATH = '/v1'
/** Where agents of others speak to beings, by A2A. */
export const A2A_PATH = '/a2a'
/** Where pages and agents of others speak to beings, by AG-UI. */
export const AG_UI_PATH = '/ag-ui'
/** Everything that is for programs, as a router matches it. Cards of agents are where A2A wants them. */
export const PROGRAM_PATHS = [
  '/api/*',
  `${CHAT_PATH}/*`,
  `${A2A_PATH}/*`,
  `${AG_UI_PATH}/*`,
  '/.well-known/*',
]
