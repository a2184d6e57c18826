import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Lets the browser load what every page stands in beside the script that asks for it, and not after it. */
const preloadApp = (): Plugin => ({
  name: 'preload-app',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
      const app = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith('/src/app.tsx')))
      if (app === undefined) throw new Error('the page has no part of its own for src/app.tsx')
      // The bundler may put a file before it that only imports it.
      const asked = chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/app.tsx') === true)
      const files = new Set([app, ...asked].flatMap(({ fileName, imports }) => [fileName, ...imports]))
      return [...files].map((file) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
        injectTo: 'head',
      }))
    },
  },
})

/** All that a module needs at once goes into one file with it. */
const whole = (name: string, module: string) => ({
  name,
  test: (id: string) => id.endsWith(`/src/${module}`),
})

export default defineConfig({
  plugins: [react(), preloadApp()],
  build: {
    assetsInlineLimit: 0, // the policy of the page allows no inline script and no inline style
    modulePreload: { polyfill: false },
    target: 'es2023',
    cssCodeSplit: false,
    // The script that begins everything is small, and waits for none of the rest.
    rolldownOptions: {
      output: { codeSplitting: { groups: [whole('begin', 'main.ts'), whole('app', 'app.tsx')] } },
    },
  },
})
