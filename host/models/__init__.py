"""Models: who answers. The registry loads a provider's module only when a configured model needs it."""
