"""The real program on one platform's simulator, as a campaign sees it: one module for each platform."""
