import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The gateway that `npm run dev` shows. */
const gateway = 'http://localhost:8081';

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The policy for content allows no data in addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/admin': gateway, '/console': gateway } },
});
