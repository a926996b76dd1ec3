from .html import write_html as write_html
from .inspection import case_text as case_text, failures_text as failures_text
from .junit import write_junit as write_junit
from .markdown import write_markdown as write_markdown
from .parquet import write_parquet as write_parquet
from .stopped import write_stopped as write_stopped
from .tables import write_csv as write_csv, write_json as write_json, write_jsonl as write_jsonl
from .text import comparison_text as comparison_text, run_summary as run_summary, runs_table as runs_table
