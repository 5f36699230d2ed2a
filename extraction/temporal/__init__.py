"""Time expressions in English and Chinese, resolved to intervals."""
